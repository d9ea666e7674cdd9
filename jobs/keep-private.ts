/** Protects the files and the memory of this process. It must run before anything else. */

/** Makes new files and directories private to their owner, and keeps SIGUSR1 from opening the inspector. */
export function keepPrivate(): void {
  process.umask(0o077);
  // On SIGUSR1 Node starts its inspector. Through it other users of the machine could read the secrets of this process.
  process.on('SIGUSR1', () => undefined);
}
