/**
 * How nodes agree about the members of their cluster: a cluster is formed or joined, commands are appended to its log,
 * and each node installs the newest agreed state.
 */
@NullMarked
package io.dht4j.core.internal.membership.agreed;

import org.jspecify.annotations.NullMarked;
