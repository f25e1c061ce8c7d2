/**
 * The driver of moves and of members' lifecycles. Decisions are pure functions of the agreed state and of members'
 * reports; the driver asks, decides and appends. It runs at the leader of the topology log, and keeps only times.
 */
@NullMarked
package io.dht4j.core.internal.membership.driver;

import org.jspecify.annotations.NullMarked;
