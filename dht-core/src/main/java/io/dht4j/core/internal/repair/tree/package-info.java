/** The content of a replica: hash trees, and pages of versions. */
@NullMarked
package io.dht4j.core.internal.repair.tree;

import org.jspecify.annotations.NullMarked;
