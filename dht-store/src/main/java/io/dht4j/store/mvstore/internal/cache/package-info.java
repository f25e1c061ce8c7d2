/** The cache of entries that were read. */
@NullMarked
package io.dht4j.store.mvstore.internal.cache;

import org.jspecify.annotations.NullMarked;
