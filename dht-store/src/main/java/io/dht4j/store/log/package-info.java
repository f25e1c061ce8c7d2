/** The format of entries in append-only files: the log of the store, and hints. For use inside the library only. */
@NullMarked
package io.dht4j.store.log;

import org.jspecify.annotations.NullMarked;
