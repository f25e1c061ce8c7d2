/** Load generators in processes of their own. */
@NullMarked
package io.dht4j.benchmarks.process.load;

import org.jspecify.annotations.NullMarked;
