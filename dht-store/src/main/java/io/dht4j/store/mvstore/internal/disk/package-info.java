/** The directory of a store: its files, its lock, fsync, and whether the store can be written. */
@NullMarked
package io.dht4j.store.mvstore.internal.disk;

import org.jspecify.annotations.NullMarked;
