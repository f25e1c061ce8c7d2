/**
 * How entries stand in a file that grows at its end: for the log of the store, and for hints. Not for use from outside.
 */
@NullMarked
package io.dht4j.store.log;

import org.jspecify.annotations.NullMarked;
