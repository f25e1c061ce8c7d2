/** What an agreed cluster promises about its states and slots, checked from the outside. */
@NullMarked
package io.dht4j.simulator.internal.membership;

import org.jspecify.annotations.NullMarked;
