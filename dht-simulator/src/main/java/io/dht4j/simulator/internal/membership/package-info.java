/** Checks of an agreed cluster's guarantees about its states and slots, from the outside. */
@NullMarked
package io.dht4j.simulator.internal.membership;

import org.jspecify.annotations.NullMarked;
