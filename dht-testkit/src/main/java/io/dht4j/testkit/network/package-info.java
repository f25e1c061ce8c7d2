/** Networks for tests: a network within the process, faults of calls, silent links, and free ports. */
@NullMarked
package io.dht4j.testkit.network;

import org.jspecify.annotations.NullMarked;
