/** What a replica holds: hash trees, and lists of versions. */
@NullMarked
package io.dht4j.core.internal.repair.tree;

import org.jspecify.annotations.NullMarked;
