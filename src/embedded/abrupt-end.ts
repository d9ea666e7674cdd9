/** Clean-up when this process exits in the middle of its work, because of a second Ctrl-C or a deadline. */

/** Functions to run at an abrupt end. The last registered one runs first. */
const leftovers = new Set<() => void>();
let listens = false;

/**
 * Registers `undo`, to be called when the process exits in the middle of its work; returns a function that unregisters
 * it. `undo` must be synchronous. Its errors are ignored, because nobody is left to handle them.
 */
export function atAbruptEnd(undo: () => void): () => void {
  if (!listens) {
    process.once('exit', undoAll);
    // `beforeExit` means that no work is left: the process ends normally.
    process.once('beforeExit', () => leftovers.clear());
    listens = true;
  }
  leftovers.add(undo);
  return () => void leftovers.delete(undo);
}

function undoAll(): void {
  for (const undo of [...leftovers].reverse()) {
    try {
      undo();
    } catch {
      // The other functions still run.
    }
  }
}
