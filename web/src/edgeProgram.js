// WebGL program for edges: solid or dashed, single or double, with a width in pixels.
//
// The program of sigma supports solid straight lines only. This one draws a rectangle around the line in screen
// pixels, half a pixel wider for antialiasing, in which every point has its position along the line and its distance from
// it. The edge under the pointer is computed (pointer.js), so there is no picking mode.

import { EdgeProgram } from "sigma/rendering";
import { floatColor } from "sigma/utils";

const VERTEX = `
attribute vec2 a_start;
attribute vec2 a_end;
attribute float a_width;
attribute float a_style;
attribute float a_bend;
attribute vec4 a_color;
attribute float a_along;
attribute float a_side;
uniform mat3 u_matrix;
uniform vec2 u_half;
uniform float u_scale;
uniform float u_least;
varying vec4 v_color;
varying float v_along;
varying float v_beside;
varying float v_width;
varying float v_style;

void main() {
  vec2 start = (u_matrix * vec3(a_start, 1)).xy * u_half;
  vec2 end = (u_matrix * vec3(a_end, 1)).xy * u_half;
  float far = max(distance(start, end), 0.001);
  vec2 chord = end - start;
  // Y points up here, as in the computation of the bend.
  vec2 middle = 0.5 * (start + end) + a_bend * vec2(-chord.y, chord.x);
  float t = a_along;
  vec2 slope = (1.0 - t) * (middle - start) + t * (end - middle);
  vec2 way = slope / max(length(slope), 0.001);
  v_width = max(a_width * u_scale, u_least);
  v_beside = a_side * (0.5 * v_width + 1.0);
  v_along = a_along * far;
  v_style = a_style;
  v_color = a_color;
  v_color.a *= 255.0 / 254.0; // sigma packs colours into floats and loses one bit
  vec2 on = (1.0 - t) * (1.0 - t) * start + 2.0 * t * (1.0 - t) * middle + t * t * end;
  vec2 place = on + vec2(-way.y, way.x) * v_beside;
  gl_Position = vec4(place / u_half, 0, 1);
}`;

const FRAGMENT = `
precision highp float;
uniform float u_rim;
varying vec4 v_color;
varying float v_along;
varying float v_beside;
varying float v_width;
varying float v_style;

float inside(float x, float limit) {
  return 1.0 - smoothstep(limit - u_rim, limit + u_rim, x);
}

void main() {
  float beside = abs(v_beside);
  float share = inside(beside, 0.5 * v_width);
  bool dashed = mod(v_style, 2.0) > 0.5;
  bool twice = v_style > 1.5;
  if (twice) share *= 1.0 - inside(beside, 0.17 * v_width);
  if (dashed) {
    float line = 3.0 + 2.0 * v_width;
    float period = line + 2.0 + 1.5 * v_width;
    float at = abs(mod(v_along, period) - 0.5 * line);
    share *= inside(min(at, period - at), 0.5 * line);
  }
  gl_FragColor = v_color * share;
}`;

export class StraightEdges extends EdgeProgram {
  get pieces() {
    return 1;
  }

  getDefinition() {
    const { FLOAT, UNSIGNED_BYTE, TRIANGLES } = WebGLRenderingContext;
    const cuts = Array.from({ length: this.pieces }, (_, k) => [k / this.pieces, (k + 1) / this.pieces]);
    return {
      VERTICES: 6 * this.pieces,
      VERTEX_SHADER_SOURCE: VERTEX,
      FRAGMENT_SHADER_SOURCE: FRAGMENT,
      METHOD: TRIANGLES,
      UNIFORMS: ["u_matrix", "u_half", "u_scale", "u_least", "u_rim"],
      ATTRIBUTES: [
        { name: "a_start", size: 2, type: FLOAT },
        { name: "a_end", size: 2, type: FLOAT },
        { name: "a_width", size: 1, type: FLOAT },
        { name: "a_style", size: 1, type: FLOAT },
        { name: "a_bend", size: 1, type: FLOAT },
        { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
      ],
      CONSTANT_ATTRIBUTES: [
        { name: "a_along", size: 1, type: FLOAT },
        { name: "a_side", size: 1, type: FLOAT },
      ],
      CONSTANT_DATA: cuts.flatMap(([a, b]) => [[a, 1], [a, -1], [b, 1], [b, 1], [a, -1], [b, -1]]),
    };
  }

  processVisibleItem(_, start, source, target, edge) {
    const style = (edge.dashed ? 1 : 0) + (edge.double ? 2 : 0);
    const ends = [source.x, source.y, target.x, target.y];
    this.array.set([...ends, edge.size, style, edge.bend, floatColor(edge.color)], start);
  }

  setUniforms({ matrix, width, height, pixelRatio, sizeRatio, minEdgeThickness }, { gl, uniformLocations }) {
    gl.uniformMatrix3fv(uniformLocations.u_matrix, false, matrix);
    gl.uniform2f(uniformLocations.u_half, width / 2, height / 2);
    gl.uniform1f(uniformLocations.u_scale, 1 / sizeRatio);
    gl.uniform1f(uniformLocations.u_least, minEdgeThickness);
    gl.uniform1f(uniformLocations.u_rim, 0.6 / pixelRatio);
  }
}

export class BentEdges extends StraightEdges {
  get pieces() {
    return 16;
  }
}
