/** Counters of a store's work, and its events for the Flight Recorder. */
@NullMarked
package io.dht4j.store.mvstore.internal.statistics;

import org.jspecify.annotations.NullMarked;
