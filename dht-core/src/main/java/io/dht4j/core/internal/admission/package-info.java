/** Limits on work in flight. */
@NullMarked
package io.dht4j.core.internal.admission;

import org.jspecify.annotations.NullMarked;
