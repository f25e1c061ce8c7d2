/** The thread that merges memtables into the map, purges the map, and compacts its file. */
@NullMarked
package io.dht4j.store.mvstore.internal.merge;

import org.jspecify.annotations.NullMarked;
