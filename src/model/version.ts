import packageJson from '../../package.json' with { type: 'json' };

/** Version of this program, as in package.json. */
export const appVersion: string = packageJson.version;

/** The user agent of requests to the platform. */
export const userAgent = `${packageJson.name}/${packageJson.version}`;
