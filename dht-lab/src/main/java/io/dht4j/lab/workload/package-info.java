/** Workloads as in database benchmarks: the sequence of operations, with their keys and sizes. */
@NullMarked
package io.dht4j.lab.workload;

import org.jspecify.annotations.NullMarked;
