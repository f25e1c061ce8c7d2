/** Contract suites with a whole cluster: of transports with nodes on both sides, and of APIs for remote clients. */
@NullMarked
package io.dht4j.simulator.contract;

import org.jspecify.annotations.NullMarked;
