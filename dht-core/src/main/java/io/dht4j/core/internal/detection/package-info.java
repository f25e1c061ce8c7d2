/** Failure detection: who will most likely not answer. */
@NullMarked
package io.dht4j.core.internal.detection;

import org.jspecify.annotations.NullMarked;
