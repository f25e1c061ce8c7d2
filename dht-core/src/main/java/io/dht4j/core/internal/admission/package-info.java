/** Limits on work in flight, on its rate, and on second attempts. */
@NullMarked
package io.dht4j.core.internal.admission;

import org.jspecify.annotations.NullMarked;
