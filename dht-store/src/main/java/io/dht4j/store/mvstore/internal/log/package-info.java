/** The write-ahead log, its segments, and their replay. */
@NullMarked
package io.dht4j.store.mvstore.internal.log;

import org.jspecify.annotations.NullMarked;
