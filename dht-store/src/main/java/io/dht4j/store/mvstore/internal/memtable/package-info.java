/** The newest entries in memory, sorted. */
@NullMarked
package io.dht4j.store.mvstore.internal.memtable;

import org.jspecify.annotations.NullMarked;
