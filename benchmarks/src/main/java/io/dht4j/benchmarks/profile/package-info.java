/** Where nodes spend time and memory, and where they wait: async-profiler and the evaluation of its stacks. */
@NullMarked
package io.dht4j.benchmarks.profile;

import org.jspecify.annotations.NullMarked;
