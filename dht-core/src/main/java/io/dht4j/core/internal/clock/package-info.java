/** The hybrid logical clock. */
@NullMarked
package io.dht4j.core.internal.clock;

import org.jspecify.annotations.NullMarked;
