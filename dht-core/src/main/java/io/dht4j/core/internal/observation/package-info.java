/** Reports to the observer and the tracer of a node or of a remote cluster. */
@NullMarked
package io.dht4j.core.internal.observation;

import org.jspecify.annotations.NullMarked;
