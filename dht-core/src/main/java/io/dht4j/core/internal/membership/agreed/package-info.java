/**
 * The part of a node in the agreement about the members of its cluster, put together: the node is formed or joined,
 * serves the requests of others about membership, and changes the agreed state.
 */
@NullMarked
package io.dht4j.core.internal.membership.agreed;

import org.jspecify.annotations.NullMarked;
