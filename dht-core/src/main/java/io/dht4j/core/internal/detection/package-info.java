/** Failure detection: nodes that will probably not answer. */
@NullMarked
package io.dht4j.core.internal.detection;

import org.jspecify.annotations.NullMarked;
