import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

test('a signal that ends npm ends the program that it runs', async () => {
  const npm = spawn('npm', ['run', '-s', 'etl', '--', 'simulate', '--port', '0', '--json'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(npm.stdout.setEncoding('utf8'), 'data');
  const { url } = JSON.parse(String(line));
  expect((await fetch(url)).status).toBe(404);
  npm.kill('SIGTERM');
  await once(npm, 'close');
  await expect.poll(() => fetch(url).then(String, () => 'gone')).toBe('gone');
});
