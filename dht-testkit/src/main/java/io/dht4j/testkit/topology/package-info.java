/** The contract of the topology's agreement, a perfect log, and a cluster of logs in virtual time. */
@NullMarked
package io.dht4j.testkit.topology;

import org.jspecify.annotations.NullMarked;
