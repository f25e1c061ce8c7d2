/** Events of a node for the Flight Recorder. */
@NullMarked
package io.dht4j.core.internal.recording;

import org.jspecify.annotations.NullMarked;
