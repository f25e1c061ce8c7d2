/** States and commands as bytes, for logs, disks and peers. */
@NullMarked
package io.dht4j.core.internal.membership.codec;

import org.jspecify.annotations.NullMarked;
