/** How a node becomes a member: its stored identity, the formation of a cluster by its founders, and the join. */
@NullMarked
package io.dht4j.core.internal.membership.agreed.formation;

import org.jspecify.annotations.NullMarked;
