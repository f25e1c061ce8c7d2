/**
 * The agreed membership of a node: it forms or joins a cluster, serves the requests of others about membership, and
 * changes the agreed state.
 */
@NullMarked
package io.dht4j.core.internal.membership.agreed;

import org.jspecify.annotations.NullMarked;
