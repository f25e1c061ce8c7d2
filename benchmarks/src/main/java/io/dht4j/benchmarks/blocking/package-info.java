/**
 * The control of the asynchronous coordinator: one that blocks a thread for each request, built from the public SPIs
 * only.
 */
@NullMarked
package io.dht4j.benchmarks.blocking;

import org.jspecify.annotations.NullMarked;
