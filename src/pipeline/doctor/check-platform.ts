/** Checks that the platform can be reached, accepts the credential, and has the same time. */
import { proxyOf } from '../../extract/http-exchange.ts';
import { type ProbeAnswer, resolveHost, sendProbe } from '../../extract/probe.ts';
import type { Clock } from '../../model/clock.ts';
import type { PlatformSettings } from '../../model/config.ts';
import { earliestDay, yesterday } from '../../model/day.ts';
import { codeOf } from '../../model/error-code.ts';
import { explain } from '../../model/errors.ts';
import { doubtful, type Finding, good, unchecked, uncheckedBecause, wrong } from '../../model/finding.ts';
import { userAgent } from '../../model/version.ts';
import { durationOf } from '../../reporting/clocks-text.ts';
import { organizationProbes } from '../../sources/registry.ts';

/** The smallest answer that needs the credential and its role (platform-api.md §4.2, §5). */
const [probe] = organizationProbes;
/** With a larger difference, the platform's yesterday may differ from ours for much of a night. */
const mostDifferenceMs = 5 * 60_000;

/** The platform to check. */
export interface PlatformToCheck {
  readonly platform: PlatformSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The host and path of the readiness reports. */
export interface AppToCheck extends PlatformToCheck {
  readonly appUrl: URL;
  /** Path and query of a request for a short list. */
  readonly path: string;
}

/** Sends one request to the second host, which has only optional sources. */
export async function checkApp({ platform, appUrl, path, signal }: AppToCheck): Promise<Finding> {
  const name = 'APP_BASE_URL';
  const isLeftOut = 'readiness reports are left out until it does';
  try {
    const { status } = await sendProbe(addressBelow(appUrl, path), headersFor(platform), signal);
    if (status === 200) return good(name, `${appUrl.host} answers`);
    return doubtful(
      name,
      `${appUrl.host} answers ${status}; ${isLeftOut}`,
      'check the address and READINESS_PATH',
    );
  } catch (error) {
    signal.throwIfAborted();
    return { ...unreachable(appUrl, error), name };
  }
}

/** What the platform answered. */
export interface PlatformCheck {
  readonly findings: readonly Finding[];
  /** The organization of the credential; undefined if no answer named it. */
  readonly organizationId: string | undefined;
  /** Requests that were sent. */
  readonly requests: number;
}

/** Sends at most two requests: the second asks for an older day if the platform does not serve yesterday yet. */
export async function checkPlatform({ platform, clock, signal }: PlatformToCheck): Promise<PlatformCheck> {
  const { baseUrl } = platform;
  let requests = 0;
  const without = (findings: readonly Finding[]) => ({ findings, organizationId: undefined, requests });
  if (proxyOf(baseUrl) === undefined) {
    try {
      await resolveHost(baseUrl);
    } catch (error) {
      return without([
        wrong(
          'API_BASE_URL',
          `the name ${baseUrl.hostname} cannot be resolved (${explain(error)})`,
          'check the name, and the DNS of this machine',
        ),
        ...unasked,
      ]);
    }
  }
  const ask = (atMs: number) => {
    requests += 1;
    const day = yesterday(() => atMs);
    const { path, query } = probe.partitioning.first([day], 1);
    const address = addressBelow(baseUrl, `${path}?${new URLSearchParams(query)}`);
    return sendProbe(address, headersFor(platform), signal);
  };
  try {
    const now = clock();
    let answer = await ask(now);
    // Its clock may be behind: our yesterday may be its today (platform-api.md §7).
    if (answer.status === 400) answer = await ask((answer.timeMs ?? now) - 86_400_000);
    return {
      findings: [...platformFindings(answer, platform), clockFinding(answer, clock())],
      organizationId: answer.status === 200 ? organizationIn(answer.body) : undefined,
      requests,
    };
  } catch (error) {
    signal.throwIfAborted();
    return without([unreachable(baseUrl, error), ...unasked]);
  }
}

function addressBelow(baseUrl: URL, path: string): URL {
  return new URL(`${baseUrl.pathname.replace(/(?<!\/)\/+$/, '')}${path}`, baseUrl);
}

function headersFor({ apiKey }: PlatformSettings): Record<string, string> {
  return { authorization: `Bearer ${apiKey}`, accept: 'application/json', 'user-agent': userAgent };
}

const unasked = ['API_KEY', 'clock'].map((name) => uncheckedBecause(name, 'API_BASE_URL'));

const isOfTls =
  /^(?:ERR_(?:TLS|SSL)|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|EPROTO)/;

function unreachable(baseUrl: URL, error: unknown): Finding {
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : undefined) ?? '';
  if (isOfTls.test(code))
    return wrong(
      'API_BASE_URL',
      `TLS with ${baseUrl.host} fails (${explain(error)})`,
      'check the address; put the certificate of your own authority into NODE_EXTRA_CA_CERTS',
    );
  return wrong(
    'API_BASE_URL',
    `${baseUrl.host} cannot be reached (${explain(error)})`,
    'check address, network, firewall and HTTPS_PROXY',
  );
}

function platformFindings(
  { status, body, location }: ProbeAnswer,
  { baseUrl, apiKeyPlace = 'API_KEY or API_KEY_FILE' }: PlatformSettings,
): Finding[] {
  const answers = good('API_BASE_URL', `${baseUrl.host} answers`);
  if (status === 401)
    return [
      answers,
      wrong(
        'API_KEY',
        'the platform does not accept it (401)',
        `make a key in the application's API key settings as a user with the Manager or Owner role, and put it into ${apiKeyPlace}`,
      ),
    ];
  if (status === 403)
    return [
      answers,
      wrong(
        'API_KEY',
        'it may not read analytics (403)',
        `give its user the Manager or Owner role, or put a key of such a user into ${apiKeyPlace}`,
      ),
    ];
  const organization = organizationIn(body);
  if (status === 200 && organization !== undefined)
    return [answers, good('API_KEY', `may read analytics of ${organization}`)];
  if (status === 429)
    return [
      doubtful(
        'API_BASE_URL',
        'the platform asks to wait (429)',
        'try again later; lower REQUESTS_PER_SECOND',
      ),
      uncheckedBecause('API_KEY', 'API_BASE_URL'),
    ];
  const said = location === undefined ? `answers ${status}` : `redirects to ${location} (${status})`;
  const found =
    status >= 500
      ? wrong('API_BASE_URL', `${baseUrl.host} ${said}`, 'try again later, and ask who runs the platform')
      : wrong(
          'API_BASE_URL',
          `${baseUrl.host} ${said}, unlike the platform`,
          `it must be the address below which ${probe.partitioning.first([earliestDay], 1).path} lies`,
        );
  return [found, uncheckedBecause('API_KEY', 'API_BASE_URL')];
}

/** The organization that an answer of analytics names (platform-api.md §2.5). */
function organizationIn(body: unknown): string | undefined {
  const meta = body instanceof Object ? Reflect.get(body, 'meta') : undefined;
  const id = meta instanceof Object ? Reflect.get(meta, 'org_id') : undefined;
  return typeof id === 'string' ? id : undefined;
}

function clockFinding({ timeMs }: ProbeAnswer, now: number): Finding {
  if (timeMs === undefined) return unchecked('clock', 'the platform does not send its time');
  const differenceMs = now - timeMs;
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  const side = differenceMs > 0 ? 'ahead of' : 'behind';
  if (Math.abs(differenceMs) >= mostDifferenceMs)
    return wrong(
      'clock',
      `this machine is ${durationOf(Math.abs(differenceMs))} ${side} the platform`,
      'let the clock be set by NTP',
    );
  return good('clock', `differs from the platform's by ${seconds} s`);
}
