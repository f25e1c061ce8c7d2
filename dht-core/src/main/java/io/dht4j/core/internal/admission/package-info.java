/** Bounds on what is under way. */
@NullMarked
package io.dht4j.core.internal.admission;

import org.jspecify.annotations.NullMarked;
