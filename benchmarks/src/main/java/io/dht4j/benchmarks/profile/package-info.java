/** Where nodes spend time, memory and waiting: async-profiler, and what its stacks say. */
@NullMarked
package io.dht4j.benchmarks.profile;

import org.jspecify.annotations.NullMarked;
