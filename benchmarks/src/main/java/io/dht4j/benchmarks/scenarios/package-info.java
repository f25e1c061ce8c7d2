/** The scenarios: experiments of ./dht bench, one class each, and the list of all. */
@NullMarked
package io.dht4j.benchmarks.scenarios;

import org.jspecify.annotations.NullMarked;
