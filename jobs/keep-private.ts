/** What this process must see to before it makes a file, or hears of a signal. */

/** Files and directories are for their owner alone, whatever the shell's umask; SIGUSR1 opens no inspector. */
export function keepPrivate(): void {
  process.umask(0o077);
  // Node starts its inspector on this signal, which hands the whole process, secrets too, to whoever is on the machine.
  process.on('SIGUSR1', () => undefined);
}
