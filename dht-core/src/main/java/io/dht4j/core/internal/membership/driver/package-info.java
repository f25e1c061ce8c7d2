/**
 * What moves slots and members on: decisions are pure functions of the agreed state and of what members report; the
 * driver asks, decides and appends. It runs where the topology log leads, and keeps nothing but times.
 */
@NullMarked
package io.dht4j.core.internal.membership.driver;

import org.jspecify.annotations.NullMarked;
