/** What must not outlive this process, should it end without time for anything: a second Ctrl-C, a deadline. */

/** In the order in which it came to be; undone backwards. */
const leftovers = new Set<() => void>();
let listens = false;

/**
 * Has `undo` called when the process exits with work under way, unless the function that is returned was called before. `undo` cannot wait
 * for anything; what it throws is dropped, because nobody is left to hear of it.
 */
export function atAbruptEnd(undo: () => void): () => void {
  if (!listens) {
    process.once('exit', undoAll);
    // Nothing is under way any more: what is left then was left on purpose.
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
      // Whatever else is left is undone all the same.
    }
  }
}
