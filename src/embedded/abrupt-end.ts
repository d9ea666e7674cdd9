/** Clean-up for an abrupt end of this process: a second Ctrl-C, or a deadline. */

/** Functions to run at an abrupt end, in the order of registration. They run in reverse. */
const leftovers = new Set<() => void>();
let listens = false;

/**
 * Registers `undo` for an exit of the process with work under way; returns a function that unregisters it. `undo` must
 * be synchronous. Its errors are ignored, because nobody is left to handle them.
 */
export function atAbruptEnd(undo: () => void): () => void {
  if (!listens) {
    process.once('exit', undoAll);
    // No work is under way: the process ends normally.
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
      // The others still run.
    }
  }
}
