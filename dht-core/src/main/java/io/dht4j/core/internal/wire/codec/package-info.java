/** Messages as binary frames: the codec, which checks every length. */
@NullMarked
package io.dht4j.core.internal.wire.codec;

import org.jspecify.annotations.NullMarked;
