/** Workloads as benchmarks of databases describe them: which operation comes next, on which key, of which size. */
@NullMarked
package io.dht4j.lab.workload;

import org.jspecify.annotations.NullMarked;
