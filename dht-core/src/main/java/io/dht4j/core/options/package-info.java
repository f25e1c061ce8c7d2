/** The options of a node: small immutable groups, each of which declares, checks and documents its own. */
@NullMarked
package io.dht4j.core.options;

import org.jspecify.annotations.NullMarked;
