/** The costs of operations: bytes allocated, processor time, switches, packets, system calls. */
@NullMarked
package io.dht4j.lab.internal.counters;

import org.jspecify.annotations.NullMarked;
