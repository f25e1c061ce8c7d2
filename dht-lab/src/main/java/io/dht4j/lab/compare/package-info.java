/** Compares two transports in a team's own tests. */
@NullMarked
package io.dht4j.lab.compare;

import org.jspecify.annotations.NullMarked;
