/** Closed loops: each operation follows the end of an earlier one. They measure the rate at a concurrency. */
@NullMarked
package io.dht4j.lab.internal.load.closed;

import org.jspecify.annotations.NullMarked;
