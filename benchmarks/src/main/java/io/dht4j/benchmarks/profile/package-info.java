/** Profiles of nodes' time, memory and waits: async-profiler and the evaluation of its stacks. */
@NullMarked
package io.dht4j.benchmarks.profile;

import org.jspecify.annotations.NullMarked;
