"""Small tools that take parameters and know nothing of Odyssey: clocks, ids, strict readers, cursors, words, tasks."""
