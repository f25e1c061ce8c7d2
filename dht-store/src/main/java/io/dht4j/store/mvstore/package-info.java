/** A durable store: a log with group commit, sorted tables in memory, and H2's MVStore for merged entries. */
@NullMarked
package io.dht4j.store.mvstore;

import org.jspecify.annotations.NullMarked;
