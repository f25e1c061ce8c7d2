/** Open loops: operations begin at fixed times, independent of earlier ones. They measure latency at a rate. */
@NullMarked
package io.dht4j.lab.internal.load.open;

import org.jspecify.annotations.NullMarked;
