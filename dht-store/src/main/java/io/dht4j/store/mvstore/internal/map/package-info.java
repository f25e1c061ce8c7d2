/** The sorted map on the disk, in a file of H2's MVStore. */
@NullMarked
package io.dht4j.store.mvstore.internal.map;

import org.jspecify.annotations.NullMarked;
